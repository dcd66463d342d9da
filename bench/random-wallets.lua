-- Asks for random wallets of a sample. All requests are written out beforehand, so that a request
-- costs no more here than picking a string.
--
-- wrk ... -s random-wallets.lua URL -- FILE PATH
--   FILE  an address a line
--   PATH  what stands before the address

local requests = {}

function init(args)
  local file = assert(io.open(args[1], 'r'))
  for address in file:lines() do
    requests[#requests + 1] = wrk.format('GET', args[2] .. address)
  end
  file:close()
  math.randomseed(20251215)
end

function request()
  return requests[math.random(#requests)]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"microseconds":%d,"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d,"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration, errors.connect, errors.read, errors.write, errors.status,
    errors.timeout, latency:percentile(50), latency:percentile(99)))
end
