namespace CoAP.NET.Cluster.Steering;

/// <summary>The kind of content of a record between two nodes.</summary>
internal enum RelayKind : byte
{
    /// <summary>A datagram for the owner of its slot.</summary>
    ToOwner,

    /// <summary>An answer for a client whose datagrams arrive at the receiver.</summary>
    ToClient,

    /// <summary>Only the question for an acknowledgement.</summary>
    Question,

    /// <summary>The acknowledgement: the number of the record that asked.</summary>
    Answer,
}
