namespace CoAP.NET.Tables;

/// <summary>
/// Keeps the state of a Resource Directory or of a broker, so that it outlives the process and several nodes share it: a cluster
/// (<c>CoapCluster</c> of the package <c>CoAP.NET.Cluster</c>).
/// </summary>
/// <remarks>Only this library implements it. A hosted Resource Directory finds that of the application.</remarks>
public interface ICoapReplicatedTableProvider
{
    /// <summary>Opens a table: entries in memory of all nodes and in the store, each with one deciding node.</summary>
    /// <param name="kind">The kind of its entries: a member of <see cref="CoapReplicatedTableKind"/>, or a number from
    /// <see cref="CoapReplicatedTableKind.Application"/> on, the same on all nodes and after every restart.</param>
    /// <param name="rules">Makes the decisions, and receives the changes.</param>
    /// <param name="options">Limits and times, read-only from now on; null for the defaults.</param>
    /// <returns>The table, which <see cref="CoapReplicatedTable.StartAsync"/> loads.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The kind is not one of a table, or an option is out of its range.</exception>
    /// <exception cref="InvalidOperationException">A table of this kind is open already.</exception>
    /// <exception cref="ObjectDisposedException">The provider is disposed.</exception>
    internal CoapReplicatedTable OpenTable(
        CoapReplicatedTableKind kind, ICoapReplicatedTableRules rules, CoapReplicatedTableOptions? options = null);
}
