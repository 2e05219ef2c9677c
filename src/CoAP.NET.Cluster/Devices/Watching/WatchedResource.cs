using System.Security.Cryptography;
using CoAP.NET.Serialization;

namespace CoAP.NET.Cluster;

/// <summary>A resource observed at all devices, in the format between nodes: its request without a token. Immutable.</summary>
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

    /// <summary>Its identifier, on all nodes and after a restart.</summary>
    public string Id { get; }

    /// <summary>The name of the observations that outlive the process.</summary>
    public string Name => CoapClusterObservations.OwnNames + Id;

    /// <summary>The request as bytes.</summary>
    public ReadOnlySpan<byte> Request => _request;

    /// <summary>Returns the resource of a path.</summary>
    /// <param name="path">The path, with an optional query.</param>
    /// <param name="accept">The requested Content-Format; null for the default of the device.</param>
    /// <exception cref="ArgumentException">The path is not valid, or too long.</exception>
    public static WatchedResource Of(string path, CoapContentFormat? accept)
    {
        byte[] request = CoapDatagramSerializer.Default.Serialize(CoapClusterObservations.RequestFor(path, accept));
        return request.Length <= MaxRequest
            ? new WatchedResource(request)
            : throw new ArgumentException($"A path that is observed at all devices may have at most some {MaxRequest:N0} "
                + "bytes.", nameof(path));
    }

    /// <summary>Reads the request of another node; null if it is not valid.</summary>
    /// <param name="request">The request as bytes.</param>
    public static WatchedResource? Read(ReadOnlySpan<byte> request) =>
        request.Length <= MaxRequest && CoapDatagramSerializer.Default.TryDeserialize(request, out CoapMessage? message, out _)
            && message.Code == CoapCode.Get && message.Token.Length == 0 && message.Payload.IsEmpty
                ? new WatchedResource(request.ToArray())
                : null;

    /// <summary>Returns the request as a separate message without a token.</summary>
    public CoapMessage ToMessage() => CoapDatagramSerializer.Default.Deserialize(_request);
}
