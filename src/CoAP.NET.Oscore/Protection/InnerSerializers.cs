using System.Runtime.CompilerServices;
using CoAP.NET.Options;
using CoAP.NET.Serialization;

namespace CoAP.NET.Oscore;

/// <summary>
/// Serializers of inner messages with the option registry of the outer ones: one per registry, for all contexts of the process.
/// </summary>
internal static class InnerSerializers
{
    private static readonly CoapDatagramSerializer s_default = Make(CoapOptionRegistry.Default);
    private static readonly ConditionalWeakTable<CoapOptionRegistry, CoapDatagramSerializer> s_others = [];

    /// <summary>Returns the serializer of a registry.</summary>
    /// <param name="registry">The registry.</param>
    public static CoapDatagramSerializer Of(CoapOptionRegistry registry) =>
        ReferenceEquals(registry, CoapOptionRegistry.Default) ? s_default : s_others.GetValue(registry, Make);

    // The outer message has passed the limits of its transport.
    private static CoapDatagramSerializer Make(CoapOptionRegistry registry) =>
        new(new CoapSerializerOptions { Registry = registry, MaxMessageSize = int.MaxValue });
}
