using System.Net;
using CoAP.NET;
using CoAP.NET.Dtls;

namespace ClusterSample;

/// <summary>Meters that ask for the tariff five times a second, each by a client and a DTLS session of its own.</summary>
internal sealed class Meters : IAsyncDisposable
{
    private const int Count = 12;
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(200);

    private readonly Lock _gate = new();
    private readonly string[] _nodes = new string[Count];
    private readonly long[] _answers = new long[Count];
    private readonly CancellationTokenSource _stop = new();
    private readonly CoapClient[] _clients;
    private readonly string _uri;
    private Task[] _asking = [];
    private TimeSpan _longest;
    private int _errors;

    public Meters(IPEndPoint server)
    {
        _uri = $"coaps://{server}/tariff";
        _clients = [.. Credentials.Select(static one => new CoapClient(options => options.UsePsk(one)))];
    }

    /// <summary>What they prove who they are by. Keys for show: each device has one of its own, of random bytes.</summary>
    public static IEnumerable<CoapPskCredential> Credentials => Enumerable.Range(1, Count)
        .Select(static number => CoapPskCredential.Parse($"meter-{number}:a key for show of meter {number}"));

    /// <summary>How many requests ended with an error or a wrong answer.</summary>
    public int Errors => Volatile.Read(ref _errors);

    /// <summary>How many handshakes they made; one each at the beginning.</summary>
    public long Handshakes => _clients.Sum(static client => client.Endpoint.Counters["ConnectionsOpened"]);

    /// <summary>How many handshakes were made after the first of each.</summary>
    public long NewHandshakes => Handshakes - Count;

    /// <summary>The longest time that one of them waited for an answer.</summary>
    public TimeSpan Longest
    {
        get
        {
            lock (_gate)
            {
                return _longest;
            }
        }
    }

    /// <summary>How many answers each has.</summary>
    public long[] Answers()
    {
        lock (_gate)
        {
            return [.. _answers];
        }
    }

    /// <summary>Makes their sessions, and has them ask from then on.</summary>
    public async Task StartAsync()
    {
        await Task.WhenAll(Enumerable.Range(0, Count).Select(AskAsync));
        _asking = [.. Enumerable.Range(0, Count).Select(AskOnAsync)];
    }

    /// <summary>Which node answered how many of them last.</summary>
    public override string ToString()
    {
        lock (_gate)
        {
            return string.Join("  ", _nodes.GroupBy(static node => node).OrderBy(static group => group.Key, StringComparer.Ordinal)
                .Select(static group => $"{group.Key}: {new string('*', group.Count()),-Count}"));
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await Task.WhenAll(_asking);
        foreach (CoapClient client in _clients)
        {
            await client.DisposeAsync();
        }

        _stop.Dispose();
    }

    private async Task AskOnAsync(int meter)
    {
        try
        {
            while (true)
            {
                await Task.Delay(s_pause, TimeProvider.System, _stop.Token);
                await AskAsync(meter);
            }
        }
        catch (OperationCanceledException)
        {
            // The end.
        }
    }

    private async Task AskAsync(int meter)
    {
        long begin = TimeProvider.System.GetTimestamp();
        try
        {
            CoapResponse response = await _clients[meter].GetAsync(_uri, _stop.Token);
            string[] words = response.GetText().Split(' ');
            if (words is [var name, var node] && name == $"meter-{meter + 1}")
            {
                lock (_gate)
                {
                    _nodes[meter] = node;
                    _answers[meter]++;
                    TimeSpan wait = TimeProvider.System.GetElapsedTime(begin);
                    _longest = wait > _longest ? wait : _longest;
                }

                return;
            }

            Console.WriteLine($"meter-{meter + 1} got {response.Code}: {response.GetText()}");
        }
        catch (CoapException exception)
        {
            Console.WriteLine($"meter-{meter + 1}: {exception.Message}");
        }

        Interlocked.Increment(ref _errors);
    }
}
