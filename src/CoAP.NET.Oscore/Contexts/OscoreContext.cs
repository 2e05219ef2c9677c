using CoAP.NET.Options;
using CoAP.NET.Serialization;

namespace CoAP.NET.Oscore;

/// <summary>
/// A security context (RFC 8613 section 3): the keys that are derived of its parameters. One serves both roles of an endpoint. Thread-safe.
/// </summary>
public sealed class OscoreContext : IDisposable
{
    private CoapDatagramSerializer? _serializer;
    private CoapOptionRegistry? _registry;

    /// <summary>Derives the keys.</summary>
    /// <param name="parameters">The parameters. Their secret is not needed any more after that.</param>
    /// <exception cref="PlatformNotSupportedException">The cryptography of the platform lacks the algorithm.</exception>
    public OscoreContext(OscoreParameters parameters)
    {
        ArgumentNullException.ThrowIfNull(parameters);
        Parameters = parameters;
        Keys = new OscoreKeys(parameters);
    }

    /// <summary>What the context was derived of.</summary>
    public OscoreParameters Parameters { get; }

    internal OscoreKeys Keys { get; }

    /// <summary>Forgets the keys. Messages that are protected or verified after that fail.</summary>
    public void Dispose() => Keys.Dispose();

    /// <summary>Sender, recipient and algorithm, without any secret.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"OSCORE {Parameters}";

    /// <summary>Reads inner messages with the options that the outer one knows. An endpoint has one registry, so it is kept.</summary>
    internal CoapDatagramSerializer Serializer(CoapOptionRegistry registry)
    {
        if (!ReferenceEquals(Volatile.Read(ref _registry), registry))
        {
            // The outer message was within the limits of its transport.
            CoapDatagramSerializer made = new(new CoapSerializerOptions { Registry = registry, MaxMessageSize = int.MaxValue });
            Volatile.Write(ref _serializer, made);
            Volatile.Write(ref _registry, registry);
            return made;
        }

        return Volatile.Read(ref _serializer)!;
    }
}
