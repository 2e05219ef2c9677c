namespace CoAP.NET.Simulation.Faults;

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
