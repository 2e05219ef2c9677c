namespace CoAP.NET.Cluster;

/// <summary>
/// What the entries of a <see cref="CoapTable"/> mean: decides what becomes of them, and is told what did. All nodes of a cluster have to
/// have the same rules; while a cluster is upgraded, those of both versions have to understand each other's questions and values.
/// </summary>
/// <remarks>
/// Both methods are called under the lock of a slot, for different slots at the same time. They must be quick, must not wait, and must not
/// ask the table.
/// </remarks>
public interface ICoapTableRules
{
    /// <summary>
    /// Decides what becomes of an entry. Called at the node that owns the slot of the key, one call at a time for each slot. Has no effect
    /// other than the decision, as it may not take place: the store may refuse it. The same question may come twice, when an answer was
    /// lost.
    /// </summary>
    /// <param name="question">What is asked about which entry.</param>
    /// <returns>What becomes of the entry, and the reply to whoever asked.</returns>
    CoapTableDecision Decide(CoapTableQuestion question);

    /// <summary>
    /// An entry has changed. Called on every node for each change that takes place, in order for each key. A node that was not told for a
    /// while is told the newest state of each entry only. A change may be told again with the same value. What is thrown is logged, and
    /// changes nothing.
    /// </summary>
    /// <param name="change">The change. The memory of its value does not change any more, and may be kept.</param>
    void OnChanged(CoapTableChange change);
}
