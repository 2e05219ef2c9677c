using CoAP.NET.Testing.Network;

namespace CoAP.NET.Testing.Time;

/// <summary>
/// Reports why a test hangs: datagrams wait for a virtual clock that no caller advances. A test that leaves datagrams behind and a test
/// that awaits their answers look the same. It therefore reports only when no virtual clock of the process has moved for a while, and once
/// for each such time. Thread-safe.
/// </summary>
internal sealed class HangReport(TimeProvider time, TextWriter writer)
{
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(2);

    /// <summary>How long no clock advances before it reports.</summary>
    public static readonly TimeSpan PauseLimit = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();
    private WeakReference<DatagramDeliverer>? _network;
    private ITimer? _timer;
    private long _movedAt;

    public static HangReport OfProcess { get; } = new(TimeProvider.System, Console.Error);

    /// <summary>Notes that a virtual clock has moved.</summary>
    public void NoteMove() => Volatile.Write(ref _movedAt, time.GetTimestamp());

    /// <summary>Notes that a network on a virtual clock has a datagram that waits for time.</summary>
    public void NoteDatagram(DatagramDeliverer network)
    {
        lock (_gate)
        {
            Volatile.Write(ref _movedAt, time.GetTimestamp());
            if (_network is null || !_network.TryGetTarget(out DatagramDeliverer? last) || last != network)
            {
                _network = new WeakReference<DatagramDeliverer>(network);
            }

            _timer ??= time.CreateTimer(static one => ((HangReport)one!).Look(), this, s_period, s_period);
        }
    }

    private void Look()
    {
        DatagramDeliverer? network;
        lock (_gate)
        {
            if (time.GetElapsedTime(Volatile.Read(ref _movedAt)) < PauseLimit)
            {
                return;
            }

            _timer?.Dispose();
            _timer = null;
            _ = _network!.TryGetTarget(out network);
        }

        if (network is { Clock: VirtualClock { IsDriven: false } clock } && network.DescribeWaiting() is { } waiting)
        {
            writer.WriteLine(
                $"Virtual time stands still at {clock.Elapsed} for {PauseLimit.TotalSeconds} s of real time, and {waiting}. A call that "
                    + "awaits the answer never ends. Let time pass: await clock.AdvanceUntilAsync(task, max), instead of the task itself.");
        }
    }
}
