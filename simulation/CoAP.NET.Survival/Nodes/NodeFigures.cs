namespace CoAP.NET.Survival.Nodes;

/// <summary>What a node says of itself.</summary>
/// <param name="Sessions">How many sessions it has.</param>
/// <param name="Live">Bytes of objects on its heap, after a collection of everything.</param>
/// <param name="Slots">How many slots of the cluster it has.</param>
/// <param name="InDoubt">Unsafe requests that were held, as nobody knew whether they were recordings.</param>
/// <param name="Relays">Datagrams that were relayed: those that it sent to other nodes, and answers that came back to it.</param>
internal sealed record NodeFigures(int Sessions, long Live, int Slots, long InDoubt, long Relays);
