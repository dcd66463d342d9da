-- Asks for random wallets of a sample. All requests are written out beforehand, so that a request
-- costs no more here than picking a string.
--
-- wrk ... -s random-wallets.lua URL -- FILE PATH [CLIENTS]
--   FILE  an address a line
--   PATH  what stands before the address
--   CLIENTS  optional: as if from so many clients behind a proxy

local requests = {}

function init(args)
  local file = assert(io.open(args[1], 'r'))
  local clients = tonumber(args[3] or '0')
  for address in file:lines() do
    local headers = {}
    if clients > 0 then
      local client = #requests % clients
      headers['X-Forwarded-For'] = string.format('10.%d.%d.1', math.floor(client / 250) % 250, client % 250)
    end
    requests[#requests + 1] = wrk.format('GET', args[2] .. address, headers)
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
