using CoAP.NET.Diagnostics;

namespace CoAP.NET.Explorer.Dashboard;

/// <summary>Measures a server from its creation to its disposal. One thread at a time.</summary>
internal sealed class DashboardMeter : IDisposable
{
    /// <summary>
    /// The number of requests per second up to which each response is measured. Above it only those of one second in <see cref="Turns"/>
    /// are, to spare a busy server. Counters are always exact.
    /// </summary>
    public const int MaxMeasuredRate = 20_000;

    /// <summary>See <see cref="MaxMeasuredRate"/>.</summary>
    public const int Turns = 5;

    private readonly CoapEndpoint _endpoint;
    private readonly TimeProvider _time;
    private readonly ResponseMeter _meter;
    private readonly ResponseMeterListener _listener;
    private readonly CounterHistory _counters;
    private long _before;
    private int _turn;
    private (double Success, double ClientError, double ServerError) _shares;

    public DashboardMeter(CoapEndpoint endpoint, int maxRoutes, TimeProvider time)
    {
        _endpoint = endpoint;
        _time = time;
        _meter = new ResponseMeter(maxRoutes);
        _counters = new CounterHistory(endpoint.Counters);
        _before = time.GetTimestamp();
        _listener = new ResponseMeterListener(_meter, endpoint.Name) { IsOn = true };
    }

    /// <summary>Ends a second.</summary>
    /// <returns>Its figures.</returns>
    public DashboardState Turn()
    {
        long now = _time.GetTimestamp();
        double seconds = Math.Max(1e-3, _time.GetElapsedTime(_before, now).TotalSeconds);
        _before = now;
        bool isMeasured = _listener.IsOn;
        _meter.Turn(isMeasured ? seconds : 0);
        _counters.Turn();
        double requests = _counters.InSecond(CoapCounter.RequestsReceived) / seconds;
        _listener.IsOn = requests <= MaxMeasuredRate || ++_turn % Turns == 0;
        CoapDiagnosticSnapshot snapshot = _endpoint.GetSnapshot(maxPeers: 0);
        DashboardSample sample = new()
        {
            Time = _time.GetUtcNow(),
            Requests = requests,
            Answers = isMeasured ? Answers(seconds) : Guess(requests),
            IsMeasured = isMeasured,
            Latency = _meter.Overall(),
            Peers = snapshot.Shards.Sum(static shard => (long)shard.Peers),
            Connections = snapshot.Connections,
            Observers = snapshot.Observers,
            ActiveRequests = snapshot.ActiveRequests,
            Retransmissions = _counters.InSecond(CoapCounter.Retransmissions) / seconds,
            Duplicates = _counters.InSecond(CoapCounter.Duplicates) / seconds,
            Drops = _counters.InSecond(CounterHistory.Drops) / seconds,
            Refusals = _counters.InSecond(CounterHistory.Refusals) / seconds,
            Notifications = _counters.InSecond(CoapCounter.NotificationsSent) / seconds,
            BytesReceived = _counters.InSecond(CoapCounter.BytesReceived) / seconds,
            BytesSent = _counters.InSecond(CoapCounter.BytesSent) / seconds,
        };
        return new DashboardState(sample, snapshot, _counters, _meter);
    }

    public void Dispose() => _listener.Dispose();

    private (double Success, double ClientError, double ServerError) Answers(double seconds)
    {
        long[] codes = _meter.CodesIn(1);
        double success = Sum(codes, 2);
        double client = Sum(codes, 4);
        double server = Sum(codes, 5);
        double all = success + client + server;
        if (all > 0)
        {
            _shares = (success / all, client / all, server / all);
        }

        return (success / seconds, client / seconds, server / seconds);
    }

    private static double Sum(long[] codes, int @class) => codes.Skip(@class << 5).Take(32).Sum();

    private (double Success, double ClientError, double ServerError) Guess(double requests) =>
        (_shares.Success * requests, _shares.ClientError * requests, _shares.ServerError * requests);
}

/// <summary>The figures that viewers get each second; read them before the next one.</summary>
/// <param name="Sample">The sample for the plots.</param>
/// <param name="Snapshot">The server at the end of the second, without its peers.</param>
/// <param name="Counters">The counters.</param>
/// <param name="Answers">The responses.</param>
internal sealed record DashboardState(
    DashboardSample Sample, CoapDiagnosticSnapshot Snapshot, CounterHistory Counters, ResponseMeter Answers);
