using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>Something of slots in memory: notes what is released, and ends a release when the test lets it.</summary>
internal sealed class RecordingSlotState : ISlotStateHolder
{
    private readonly Lock _gate = new();
    private readonly List<CoapSlot> _released = [];
    private readonly TaskCompletionSource _began = new(RunContinuationsAsynchronously);
    private TaskCompletionSource? _block;
    private int _inProgress;

    public IReadOnlyList<CoapSlot> Released
    {
        get
        {
            lock (_gate)
            {
                return [.. _released];
            }
        }
    }

    /// <summary>How many were released at a time at most.</summary>
    public int Most { get; private set; }

    /// <summary>Asked when a slot is released, which must not be given away before that has ended.</summary>
    public Action<CoapSlot>? Check { get; init; }

    /// <summary>Which slots <see cref="Block"/> blocks; null for all.</summary>
    public Func<CoapSlot, bool>? Blocked { get; init; }

    public Exception? Failure { get; init; }

    public Task Began => _began.Task;

    public void Block() => _block = new TaskCompletionSource(RunContinuationsAsynchronously);

    public void Unblock() => _block!.TrySetResult();

    public async Task ReleaseAsync(CoapSlot slot, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            _released.Add(slot);
            Most = Math.Max(Most, ++_inProgress);
        }

        _began.TrySetResult();
        await Task.Yield();
        try
        {
            await ((Blocked?.Invoke(slot) != false ? _block?.Task : null) ?? Task.CompletedTask).WaitAsync(cancellationToken);
            Check?.Invoke(slot);
        }
        finally
        {
            lock (_gate)
            {
                _inProgress--;
            }
        }

        if (Failure is not null)
        {
            throw Failure;
        }
    }
}
