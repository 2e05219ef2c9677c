namespace CoAP.NET.Simulation.Faults;

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

    /// <summary>Ends when it was thrown.</summary>
    public Task Fired => _fired.Task;

    public void Fire() => _fired.TrySetResult();
}
