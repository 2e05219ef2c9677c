namespace CoAP.NET.Speed.Loops;

/// <summary>Peers that open a session, end it by close_notify, and open the next from another address (closed loop).</summary>
/// <param name="server">The server.</param>
/// <param name="peers">How many handshakes are under way.</param>
/// <param name="client">How they prove themselves.</param>
internal class HandshakeLoop(IPEndPoint server, int peers, SecureClient client)
    : DatagramLink(server, peers, hasOwnSockets: false, client)
{
    private const double LookEvery = 0.1;

    private readonly long[] _from = new long[peers];
    private LatencyHistogram? _times;

    /// <summary>Runs.</summary>
    /// <param name="seconds">How long.</param>
    /// <param name="cpu">Tells the processor time that the measured process took so far.</param>
    public RunResult Run(double seconds, Func<TimeSpan> cpu)
    {
        TimeSpan cpuBefore = cpu();
        LatencyHistogram times = _times = new LatencyHistogram();
        long begin = Now;
        for (int peer = 0; peer < _from.Length; peer++)
        {
            _from[peer] = Now;
            Begin(peer);
        }

        Pump(begin + Ticks(seconds));
        TimeSpan elapsed = TimeProvider.System.GetElapsedTime(begin);
        TimeSpan used = cpu() - cpuBefore;

        // What is under way belongs to no run, but it must not fail either.
        _times = null;
        Pump(Now + Ticks(Patience));
        return new RunResult(times, elapsed, used, Lost, 0);
    }

    protected override unsafe void Handle(byte* message, int length, long now)
    {
        // Nothing was asked.
    }

    /// <summary>How many had no answer in the last run.</summary>
    protected virtual long Lost => Connecting;

    /// <summary>How long what is under way may take after a run, in seconds.</summary>
    protected virtual double Patience => 2;

    protected override void Connected(int peer)
    {
        Close(peer);
        Complete(peer);
    }

    /// <summary>What is counted is done: the next one begins, unless the run is over.</summary>
    protected void Complete(int peer)
    {
        if (_times is not null)
        {
            _times.Add(Nanoseconds(_from[peer], Now));
            _from[peer] = Now;
            BeginNext(peer);
        }
    }

    private void Pump(long end)
    {
        long look = Now + Ticks(LookEvery);
        for (long now = Now; now < end && Connecting > 0; now = Now)
        {
            Wait();
            if (now >= look)
            {
                look = now + Ticks(LookEvery);
                Look();
            }
        }
    }

    /// <summary>Begins what comes after something that is done.</summary>
    protected virtual void BeginNext(int peer) => Begin(peer);

    /// <summary>Begins a handshake from an address that was not used yet.</summary>
    protected virtual void Begin(int peer)
    {
        Move(peer);
        Connect(peer);
    }
}
