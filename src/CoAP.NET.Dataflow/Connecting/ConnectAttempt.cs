using CoAP.NET.Channels;

namespace CoAP.NET.Connecting;

/// <summary>One attempt to open a connection, shared by all requests that wait for it. It goes on while anybody does.</summary>
/// <param name="target">Where to.</param>
/// <param name="wait">How long it waits before it begins, in units of 100 ns; not above zero for at once.</param>
#pragma warning disable CA1001 // the source has no timer and no handle, and may be cancelled at any time
internal sealed class ConnectAttempt(ConnectionTarget target, long wait)
#pragma warning restore CA1001
{
    private readonly CancellationTokenSource _givenUp = new();

    public ConnectionTarget Target { get; } = target;

    public long Wait { get; } = wait;

    /// <summary>Ends with the channel of the connection, or a <see cref="CoapException"/>. Continuations never run on the thread that completes it.</summary>
    public TaskCompletionSource<CoapChannel> Completion { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>How many requests wait for it. Guarded by the lock of the pool.</summary>
    public int Waiters { get; set; }

    /// <summary>Whether it has ended or was given up. Guarded by the lock of the pool.</summary>
    public bool IsOver { get; set; }

    public CancellationToken GivenUp => _givenUp.Token;

    /// <summary>Nobody waits any more. No lock may be held.</summary>
    public void GiveUp() => _givenUp.Cancel();

    public void Fail(CoapException error)
    {
        Completion.TrySetException(error);

        // Nobody may wait for it any more; then the failure is nobody's.
        _ = Completion.Task.Exception;
    }
}
