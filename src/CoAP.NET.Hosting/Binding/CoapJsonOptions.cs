using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace CoAP.NET;

/// <summary>
/// How bodies and results of handlers become JSON and CBOR. Change them with <c>services.ConfigureCoapJson(...)</c>, or attach an object to
/// a route or a group by <c>WithMetadata</c>, which wins; a server without a host has only the latter.
/// </summary>
public sealed class CoapJsonOptions
{
    /// <summary>
    /// Makes options with the conventions of the web: names in camel case, read without regard to case; each name once in an object.
    /// </summary>
    public CoapJsonOptions()
    {
        SerializerOptions = new JsonSerializerOptions(JsonSerializerDefaults.Web) { AllowDuplicateProperties = false };
        if (JsonSerializer.IsReflectionEnabledByDefault)
        {
            SerializerOptions.TypeInfoResolver = MakeReflectionResolver();
        }
    }

    /// <summary>
    /// What System.Text.Json does. Trimmed and AOT-compiled applications add their contexts:
    /// <c>o.SerializerOptions.TypeInfoResolverChain.Insert(0, MyContext.Default)</c>; elsewhere types are looked at by reflection. Must not
    /// change after the first request.
    /// </summary>
    public JsonSerializerOptions SerializerOptions { get; }

    /// <summary>
    /// The format of answers to clients that ask for none by Accept: <see cref="CoapContentFormat.Json"/> or
    /// <see cref="CoapContentFormat.Cbor"/>. Default JSON.
    /// </summary>
    /// <exception cref="ArgumentException">Another format.</exception>
    public CoapContentFormat PreferredFormat
    {
        get;
        set => field = value == CoapContentFormat.Json || value == CoapContentFormat.Cbor
            ? value
            : throw new ArgumentException("Results are written as application/json or application/cbor.", nameof(value));
    }
    = CoapContentFormat.Json;

    /// <summary>What holds where nothing was configured.</summary>
    internal static CoapJsonOptions Default { get; } = new();

    [UnconditionalSuppressMessage("Trimming", "IL2026",
        Justification = "Called only where reflection is allowed; trimmed applications have that switched off.")]
    [UnconditionalSuppressMessage("AOT", "IL3050",
        Justification = "Called only where reflection is allowed; AOT-compiled applications have that switched off.")]
    private static DefaultJsonTypeInfoResolver MakeReflectionResolver() => new();
}
