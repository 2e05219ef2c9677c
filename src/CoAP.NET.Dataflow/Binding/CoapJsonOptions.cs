using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace CoAP.NET;

/// <summary>Serialization of handler bodies and results as JSON, CBOR and formats of the application.</summary>
/// <remarks>
/// Configure it with <c>services.ConfigureCoapJson(...)</c>, or attach an instance to a route or a group with <c>WithMetadata</c>, which
/// takes precedence. A server without a host supports only the latter. Read-only once a route uses them.
/// </remarks>
[HasSettings]
public sealed partial class CoapJsonOptions
{
    /// <summary>Creates options with web conventions: names in camel case, read case-insensitively; each name once per object.</summary>
    public CoapJsonOptions()
    {
        SerializerOptions = new JsonSerializerOptions(JsonSerializerDefaults.Web) { AllowDuplicateProperties = false };
        if (JsonSerializer.IsReflectionEnabledByDefault)
        {
            SerializerOptions.TypeInfoResolver = MakeReflectionResolver();
        }
    }

    /// <summary>The options of System.Text.Json. Do not change them after the first request.</summary>
    /// <remarks>
    /// Trimmed and AOT-compiled applications add their contexts: <c>o.SerializerOptions.TypeInfoResolverChain.Insert(0,
    /// MyContext.Default)</c>; others use reflection.
    /// </remarks>
    public JsonSerializerOptions SerializerOptions { get; }

    /// <summary>
    /// The format of answers to clients without an Accept option: <see cref="CoapContentFormat.Json"/> or
    /// <see cref="CoapContentFormat.Cbor"/>. Default JSON.
    /// </summary>
    /// <exception cref="ArgumentException">The format is neither of them.</exception>
    /// <exception cref="InvalidOperationException">The settings are in use.</exception>
    public CoapContentFormat PreferredFormat
    {
        get;
        set
        {
            ThrowIfReadOnly();
            field = value == CoapContentFormat.Json || value == CoapContentFormat.Cbor
                ? value
                : throw new ArgumentException("Results are written as application/json or application/cbor.", nameof(value));
        }
    } = CoapContentFormat.Json;

    /// <summary>Formats of the application, besides JSON and CBOR.</summary>
    /// <remarks>
    /// The Content-Format of a request and the Accept option choose among them; without an Accept option, results are in
    /// <see cref="PreferredFormat"/> if System.Text.Json knows their type, otherwise in the first of these formats that writes it. Only one
    /// formatter may read, and one may write, a type in a Content-Format: otherwise the host does not start.
    /// </remarks>
    public IList<ICoapFormatter> Formatters { get; } = new SettingList<ICoapFormatter>();

    /// <summary>The options without configuration.</summary>
    internal static CoapJsonOptions Default { get; } = new();

    [UnconditionalSuppressMessage("Trimming", "IL2026",
        Justification = "Called only where reflection is allowed; trimmed applications have that switched off.")]
    [UnconditionalSuppressMessage("AOT", "IL3050",
        Justification = "Called only where reflection is allowed; AOT-compiled applications have that switched off.")]
    private static DefaultJsonTypeInfoResolver MakeReflectionResolver() => new();
}
