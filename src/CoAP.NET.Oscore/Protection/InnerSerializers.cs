using System.Runtime.CompilerServices;
using CoAP.NET.Options;
using CoAP.NET.Serialization;

namespace CoAP.NET.Oscore;

/// <summary>Read inner messages with the options that the outer ones know: one for each registry, of all contexts of the process.</summary>
internal static class InnerSerializers
{
    private static readonly CoapDatagramSerializer s_default = Make(CoapOptionRegistry.Default);
    private static readonly ConditionalWeakTable<CoapOptionRegistry, CoapDatagramSerializer> s_others = [];

    /// <summary>The one of a registry.</summary>
    /// <param name="registry">The registry.</param>
    public static CoapDatagramSerializer Of(CoapOptionRegistry registry) =>
        ReferenceEquals(registry, CoapOptionRegistry.Default) ? s_default : s_others.GetValue(registry, Make);

    // The outer message was within the limits of its transport.
    private static CoapDatagramSerializer Make(CoapOptionRegistry registry) =>
        new(new CoapSerializerOptions { Registry = registry, MaxMessageSize = int.MaxValue });
}
