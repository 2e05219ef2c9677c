namespace CoAP.NET.Cluster;

/// <summary>How far the owner of a slot got with a question.</summary>
internal enum TableStepKind
{
    /// <summary>It was decided, and the reply counts.</summary>
    Replied,

    /// <summary>It was decided, and the reply counts when the store has confirmed the change.</summary>
    Writing,

    /// <summary>It was not decided, as a change of the same entry waits for the store. Ask again afterwards.</summary>
    Waiting,

    /// <summary>It was not decided, as this node does not decide about the slot now.</summary>
    Elsewhere,
}
