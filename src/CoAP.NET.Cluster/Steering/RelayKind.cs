namespace CoAP.NET.Cluster;

/// <summary>What a record between two nodes has in it.</summary>
internal enum RelayKind : byte
{
    /// <summary>A datagram for the owner of its slot.</summary>
    ToOwner,

    /// <summary>An answer, for the client that the receiver heard.</summary>
    ToClient,

    /// <summary>Nothing but the question whether it arrives.</summary>
    Question,

    /// <summary>The answer to that: the number of the record that asked.</summary>
    Answer,
}
