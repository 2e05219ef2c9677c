namespace CoAP.NET.Tables;

/// <summary>Defines the meaning of a <see cref="CoapReplicatedTable"/>'s entries: decides about changes, and receives them.</summary>
/// <remarks>
/// All nodes of a cluster must have the same rules. During an upgrade of a cluster, the rules of both versions must understand each other's
/// questions and values. Both methods run under the lock of a slot, concurrently for different slots. They must be quick, must not block,
/// and must not use the table.
/// </remarks>
internal interface ICoapReplicatedTableRules
{
    /// <summary>Decides about an entry, at the node that owns the slot of the key.</summary>
    /// <remarks>
    /// The table makes one call at a time for each slot. The method must have no effect other than the decision, because the store may
    /// refuse the change. The same question may come twice, if an answer was lost.
    /// </remarks>
    /// <param name="question">The question and its entry.</param>
    /// <returns>The change of the entry, and the reply.</returns>
    CoapTableDecision Decide(CoapTableDecisionContext question);

    /// <summary>Handles a change of an entry, on every node.</summary>
    /// <remarks>
    /// Changes of a key arrive in order. A node that missed changes for a while only gets the newest state of each entry. A change may be
    /// repeated with the same value. Exceptions are logged, and have no other effect.
    /// </remarks>
    /// <param name="change">The change. Its value is immutable, and may be kept.</param>
    void OnChanged(CoapTableChange change);
}
