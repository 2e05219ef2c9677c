namespace CoAP.NET.Simulation.Hogs;

/// <summary>Clients, each a peer of its own, that ask one resource again and again while they may.</summary>
internal sealed class HogClients : IAsyncDisposable
{
    private readonly CoapClient[] _clients;
    private readonly string _uri;
    private readonly Lock _gate = new();
    private Task[] _flows = [];
    private volatile bool _stops;
    private long _done;
    private LatencyHistogram _times = new();
    private double _worst;

    public HogClients(int count, string uri)
    {
        _uri = uri;
        _clients = new CoapClient[count];
        for (int i = 0; i < count; i++)
        {
            _clients[i] = new CoapClient();
        }
    }

    /// <summary>How many answers came.</summary>
    public long Done => Interlocked.Read(ref _done);

    /// <summary>What was no answer, at most some of it.</summary>
    public List<string> Wrong { get; } = [];

    /// <summary>Takes the times of all answers since the last call, in milliseconds.</summary>
    public (double Median, double Percentile99, double Worst) TakeTimes()
    {
        lock (_gate)
        {
            (double, double, double) times = (_times.Microseconds(0.5) / 1000, _times.Microseconds(0.99) / 1000, _worst);
            _times = new LatencyHistogram();
            _worst = 0;
            return times;
        }
    }

    /// <summary>Has all ask.</summary>
    public void Start()
    {
        _stops = false;
        _flows = [.. _clients.Select(FlowAsync)];
    }

    /// <summary>Has each end after the answer that it waits for.</summary>
    public Task StopAsync()
    {
        _stops = true;
        return Task.WhenAll(_flows);
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        foreach (CoapClient client in _clients)
        {
            await client.DisposeAsync();
        }
    }

    private async Task FlowAsync(CoapClient client)
    {
        await Task.Yield();
        while (!_stops)
        {
            Watch start = new();
            string? wrong = null;
            try
            {
                CoapResponse response = await client.GetAsync(_uri);
                wrong = response.IsSuccess ? null : response.Code.ToString();
            }
            catch (CoapException exception)
            {
                wrong = $"{exception.GetType().Name}: {exception.Message}";
            }

            TimeSpan time = start.Elapsed;
            lock (_gate)
            {
                _times.Add((long)(time.TotalMilliseconds * 1e6));
                _worst = Math.Max(_worst, time.TotalMilliseconds);
                if (wrong is not null && Wrong.Count < 5)
                {
                    Wrong.Add(wrong);
                }
            }

            Interlocked.Increment(ref _done);
        }
    }
}
