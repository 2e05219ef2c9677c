using System.Threading.Tasks.Sources;

namespace CoAP.NET.Load.Running;

/// <summary>A reusable awaitable for the next due request of one loop.</summary>
internal sealed class DueRequestWaiter : IValueTaskSource<long>
{
    private ManualResetValueTaskSourceCore<long> _core = new() { RunContinuationsAsynchronously = false };

    public ValueTask<long> Prepare()
    {
        _core.Reset();
        return new ValueTask<long>(this, _core.Version);
    }

    public void Set(long due) => _core.SetResult(due);

    long IValueTaskSource<long>.GetResult(short token) => _core.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<long>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<long>.OnCompleted(Action<object?> continuation, object? state, short token,
        ValueTaskSourceOnCompletedFlags flags) =>
            _core.OnCompleted(continuation, state, token, flags);
}
