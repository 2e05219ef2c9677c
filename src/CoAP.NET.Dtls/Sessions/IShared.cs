namespace CoAP.NET.Dtls.Sessions;

/// <summary>What sources hold of a server.</summary>
internal interface IShared
{
    /// <summary>The source that holds it, as <see cref="SourceKeys.Of"/> has it; does not change while it is counted.</summary>
    uint Source { get; }

    /// <summary>When it was last of use, by the clock's timestamp.</summary>
    long LastOfUse { get; }
}
