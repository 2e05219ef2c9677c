using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Simulation.Faults;

/// <summary>
/// Knows where the next fault is due. User code of the rig asks it at each place; that costs a field read while nothing is armed.
/// </summary>
internal sealed class FaultInjector
{
    private readonly ConcurrentDictionary<string, ArmedFault> _armed = new();
    private int _count;
    private int _numbers;

    /// <summary>Whether faults are told to nobody: the defect that a swallowing handler would be.</summary>
    public bool Swallows { get; init; }

    /// <summary>Whether the handler that was hit answers 5.00 by itself: what was thrown is neither counted nor logged.</summary>
    public bool Hides { get; init; }

    /// <summary>Runs before a fault is thrown; null for nothing.</summary>
    public Action? Drag { get; init; }

    /// <summary>Has the next one who comes to a place meet a fault.</summary>
    public ArmedFault Arm(string place, FaultKind kind, int port = 0)
    {
        ArmedFault fault = new(place, Interlocked.Increment(ref _numbers), kind) { Port = port };
        if (!_armed.TryAdd(place, fault))
        {
            throw new InvalidOperationException($"A fault waits at {place} already.");
        }

        Interlocked.Increment(ref _count);
        return fault;
    }

    /// <summary>Takes a fault away that hit nobody.</summary>
    public void Disarm(ArmedFault fault)
    {
        if (_armed.TryRemove(KeyValuePair.Create(fault.Place, fault)))
        {
            Interlocked.Decrement(ref _count);
        }
    }

    /// <summary>Throws if a fault is due.</summary>
    public void Hit(string place, int port = 0)
    {
        if (TryTake(place, port, out ArmedFault? fault) && !Swallows)
        {
            Drag?.Invoke();
            throw fault.Exception;
        }
    }

    /// <summary>Takes the fault that is due at a place.</summary>
    public bool TryTake(string place, int port, [NotNullWhen(true)] out ArmedFault? fault)
    {
        fault = null;
        if (Volatile.Read(ref _count) == 0 || !_armed.TryGetValue(place, out fault) || (fault.Port != 0 && fault.Port != port)
            || !_armed.TryRemove(KeyValuePair.Create(place, fault)))
        {
            return false;
        }

        Interlocked.Decrement(ref _count);
        fault.Fire();
        return true;
    }
}

/// <summary>A fault that waits at its place for the one whom it is to hit.</summary>
internal sealed class ArmedFault(string place, int number, FaultKind kind)
{
    private readonly TaskCompletionSource _fired = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public string Place => place;

    public int Number => number;

    /// <summary>The port of the one who is to be hit; 0: whoever comes first.</summary>
    public int Port { get; set; }

    /// <summary>What is thrown.</summary>
    public Exception Exception { get; } = kind switch
    {
        FaultKind.Cancel => new InjectedCancellation(place, number, CancellationToken.None),
        FaultKind.CancelWithToken => new InjectedCancellation(place, number, new CancellationToken(canceled: true)),
        _ => new InjectedFault(place, number),
    };

    /// <summary>Whether it was thrown.</summary>
    public bool HasFired => _fired.Task.IsCompleted;

    public void Fire() => _fired.TrySetResult();
}

/// <summary>What is thrown.</summary>
internal enum FaultKind
{
    /// <summary>An exception of a type that the library does not know.</summary>
    Throw,

    /// <summary>An <see cref="OperationCanceledException"/> without a token.</summary>
    Cancel,

    /// <summary>One with a token that is cancelled, and is none of the library's.</summary>
    CancelWithToken,
}

/// <summary>An exception that was injected.</summary>
internal interface IInjected
{
    /// <summary>Which fault it is; unique within a run.</summary>
    int Number { get; }

    /// <summary>The injected faults in an exception and in those within it.</summary>
    static IEnumerable<IInjected> Of(Exception? exception) => exception switch
    {
        null => [],
        IInjected injected => [injected],
        AggregateException all => all.InnerExceptions.SelectMany(Of),
        _ => Of(exception.InnerException),
    };
}

/// <summary>What user code throws where a fault is injected. The number tells it from all others.</summary>
internal sealed class InjectedFault(string place, int number) : Exception($"Injected fault {number} at {place}."), IInjected
{
    public int Number => number;
}

/// <summary>A cancellation that nobody asked for, as of a token of the user's own.</summary>
internal sealed class InjectedCancellation(string place, int number, CancellationToken token)
    : OperationCanceledException($"Injected cancellation {number} at {place}.", token), IInjected
{
    public int Number => number;
}
