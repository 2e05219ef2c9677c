namespace CoAP.NET.Cluster.Tables;

/// <summary>The progress of a question at the owner of a slot.</summary>
internal enum TableRequestState
{
    /// <summary>Decided; the reply is valid.</summary>
    Replied,

    /// <summary>Decided; the reply is valid once the store has confirmed the change.</summary>
    Writing,

    /// <summary>Not decided because a change of the same entry waits for the store. Ask again afterwards.</summary>
    Waiting,

    /// <summary>Not decided because this node does not decide about the slot now.</summary>
    Elsewhere,
}
