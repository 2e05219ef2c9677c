namespace CoAP.NET.Dtls.Sessions;

/// <summary>An item that a source holds at a server.</summary>
internal interface ISourceOwned
{
    /// <summary>The source that holds it, from <see cref="SourceHasher.Of"/>; constant while it counts.</summary>
    uint Source { get; }

    /// <summary>Time of its last use, by the clock's timestamp.</summary>
    long LastOfUse { get; }
}
