using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Simulation.Faults;

/// <summary>
/// Knows where the next fault is due. User code of the rig asks it at each place; that costs a field read while nothing is armed.
/// </summary>
internal sealed class FaultInjector
{
    private readonly ConcurrentDictionary<string, ArmedFault> _armed = new(StringComparer.Ordinal);
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
