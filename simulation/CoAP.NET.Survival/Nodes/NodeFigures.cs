namespace CoAP.NET.Survival.Nodes;

/// <summary>What a node says of itself.</summary>
/// <param name="Id">Which node of the cluster it is; zeros without one.</param>
/// <param name="Sessions">How many sessions it has.</param>
/// <param name="Live">Bytes of objects on its heap, after a collection of everything.</param>
/// <param name="Slots">How many slots of the cluster it has.</param>
/// <param name="Relays">Datagrams that were relayed: those that it sent to other nodes, and answers that came back to it.</param>
internal sealed record NodeFigures(Guid Id, int Sessions, long Live, int Slots, long Relays);
