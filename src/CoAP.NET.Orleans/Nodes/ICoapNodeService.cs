using Orleans.Services;

namespace CoAP.NET.Orleans;

/// <summary>
/// What a node does for the other nodes. There is one per silo, which <see cref="CoapNodeClient.At"/> addresses. Each part of the library
/// declares its own methods.
/// </summary>
internal partial interface ICoapNodeService : IGrainService
{
    /// <summary>Handles posts of another node, in their order: relayed datagrams, and removed sessions of short handshakes.</summary>
    /// <param name="from">The sending node.</param>
    /// <param name="path">What they are for.</param>
    /// <param name="items">The posts.</param>
    /// <returns>A task whose completion asks for the next ones.</returns>
    Task PostAsync(Guid from, string path, byte[][] items);

    /// <summary>Answers a question of another node, such as the one for the way of relayed datagrams.</summary>
    /// <param name="from">The asking node.</param>
    /// <param name="path">What it is about.</param>
    /// <param name="question">The question.</param>
    /// <returns>The answer; null for none.</returns>
    Task<byte[]?> AskAsync(Guid from, string path, byte[] question);

    /// <summary>Notifies the observers here of changes at another node.</summary>
    /// <param name="names">The names of servers and resources that changed.</param>
    /// <returns>A task whose completion asks for the next ones.</returns>
    Task NotifyAsync(string[] names);
}
