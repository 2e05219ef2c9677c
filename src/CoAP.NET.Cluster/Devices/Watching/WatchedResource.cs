using System.Security.Cryptography;
using CoAP.NET.Serialization;

namespace CoAP.NET.Cluster;

/// <summary>A resource that is observed at all devices, as nodes tell each other: by its request without a token. Immutable.</summary>
internal sealed class WatchedResource
{
    private const int IdLength = 16;
    private const int MaxRequest = 4096;

    private readonly byte[] _request;

    private WatchedResource(byte[] request)
    {
        _request = request;
        Id = Convert.ToHexString(SHA256.HashData(request).AsSpan(0, IdLength));
    }

    /// <summary>What tells it from other resources, on all nodes and after a restart.</summary>
    public string Id { get; }

    /// <summary>The name of the observations at devices that outlive the process.</summary>
    public string Name => CoapClusterObservations.OwnNames + Id;

    /// <summary>The request as bytes.</summary>
    public ReadOnlySpan<byte> Request => _request;

    /// <summary>The resource of a path.</summary>
    /// <param name="path">The path, with a query if need be.</param>
    /// <param name="accept">The Content-Format that is asked for; null for that of the device.</param>
    /// <exception cref="ArgumentException">The path is none, or too long.</exception>
    public static WatchedResource Of(string path, CoapContentFormat? accept)
    {
        byte[] request = CoapDatagramSerializer.Default.Serialize(CoapClusterObservations.RequestFor(path, accept));
        return request.Length <= MaxRequest
            ? new WatchedResource(request)
            : throw new ArgumentException($"A path that is observed at all devices has some {MaxRequest:N0} bytes at most.", nameof(path));
    }

    /// <summary>Reads what another node asks for; null when it is nothing.</summary>
    /// <param name="request">The request as bytes.</param>
    public static WatchedResource? Read(ReadOnlySpan<byte> request) =>
        request.Length <= MaxRequest && CoapDatagramSerializer.Default.TryDeserialize(request, out CoapMessage? message, out _)
            && message.Code == CoapCode.Get && message.Token.Length == 0 && message.Payload.IsEmpty
                ? new WatchedResource(request.ToArray())
                : null;

    /// <summary>The request as a message of its own, which has no token.</summary>
    public CoapMessage ToMessage() => CoapDatagramSerializer.Default.Deserialize(_request);
}
