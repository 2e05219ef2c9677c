using System.Globalization;
using System.Text;
using CoAP.NET.ResourceDirectory.Lookups;
using CoAP.NET.ResourceDirectory.Serving;

namespace CoAP.NET.ResourceDirectory.Registrations;

/// <summary>The parameters of a registration or an update from the query of the request (RFC 9176 section 5).</summary>
internal sealed class RegistrationParameters
{
    /// <summary>The longest name of an endpoint or a sector in bytes (RFC 9176 section 5).</summary>
    public const int MaxNameLength = 63;

    private readonly List<byte> _attributes = [];

    private RegistrationParameters()
    {
    }

    /// <summary>The endpoint name; null if absent.</summary>
    public byte[]? Endpoint { get; private set; }

    /// <summary>The sector; null if absent.</summary>
    public byte[]? Sector { get; private set; }

    /// <summary>The base; null if absent.</summary>
    public byte[]? Base { get; private set; }

    /// <summary>The lifetime in seconds; null if absent.</summary>
    public uint? Lifetime { get; private set; }

    /// <summary>The other parameters, in the form of <see cref="EndpointAttributes"/>.</summary>
    public byte[] Attributes => [.. _attributes];

    /// <summary>Parses the parameters of a request.</summary>
    /// <param name="queries">The arguments.</param>
    /// <param name="maxAttributes">The maximum number of parameters without a special meaning.</param>
    /// <param name="parameters">The parameters; null if they are refused.</param>
    /// <returns>The refusal; null for none.</returns>
    public static DirectoryRefusal? TryRead(IEnumerable<string> queries, int maxAttributes, out RegistrationParameters? parameters)
    {
        parameters = null;
        RegistrationParameters read = new();
        int attributes = 0;
        foreach (string query in queries)
        {
            int at = query.IndexOf('=', StringComparison.Ordinal);
            string name = at < 0 ? query : query[..at];
            string? value = at < 0 ? null : query[(at + 1)..];
            string? fault = name switch
            {
                "ep" => read.Endpoint is not null ? Twice(name) : FaultOfName(name, value) ?? Set(value!, bytes => read.Endpoint = bytes),
                "d" => read.Sector is not null ? Twice(name) : FaultOfName(name, value) ?? Set(value!, bytes => read.Sector = bytes),
                "base" => read.Base is not null ? Twice(name) : FaultOfBase(value) ?? Set(value!, bytes => read.Base = bytes),
                "lt" => read.Lifetime is not null ? Twice(name) : read.SetLifetime(value),
                _ => ++attributes > maxAttributes
                    ? $"There are more than {maxAttributes} endpoint attributes. Remove some."
                    : read.Add(query, name, value),
            };
            if (fault is not null)
            {
                return DirectoryRefusal.Bad(fault);
            }
        }

        parameters = read;
        return null;
    }

    private static string Twice(string name) => $"'{name}' is given twice. Give it once (RFC 9176 section 5).";

    private static string? Set(string value, Action<byte[]> set)
    {
        set(Encoding.UTF8.GetBytes(value));
        return null;
    }

    private static string? FaultOfName(string name, string? value) =>
        string.IsNullOrEmpty(value) ? $"'{name}' is empty. Give a name of 1 to {MaxNameLength} bytes."
        : Encoding.UTF8.GetByteCount(value) > MaxNameLength ? $"'{name}' is longer than {MaxNameLength} bytes (RFC 9176 section 5)."
        : value.Any(char.IsControl) ? $"'{name}' has a control character. Use letters, digits and punctuation (RFC 9176 section 5)."
        : null;

    private static string? FaultOfBase(string? value)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(value ?? "");
        return Utf8UriParser.SchemeLength(bytes) == 0 || !IsReference(value!) || value!.Contains('#', StringComparison.Ordinal)
                || Utf8UriParser.OriginOf(bytes).Length <= Utf8UriParser.SchemeLength(bytes) + 1
            ? "'base' is not an absolute URI. Give scheme and authority, such as base=coap://[2001:db8::1]:61616."
            : Utf8UriParser.HasZone(bytes)
            ? "'base' has a zone identifier, which is only valid on one host. Leave it out (RFC 9176 section 5)."
            : null;
    }

    /// <summary>Whether a text can be a URI reference.</summary>
    public static bool IsReference(string text) => !text.Any(static c => c <= ' ' || c is '<' or '>' or '"' or '\\' || char.IsControl(c));

    private string? SetLifetime(string? value)
    {
        if (!uint.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out uint lifetime) || lifetime == 0)
        {
            return $"'lt={value}' is not a valid lifetime. Give 1 to {uint.MaxValue} seconds (RFC 9176 section 5).";
        }

        Lifetime = lifetime;
        return null;
    }

    private string? Add(string query, string name, string? value)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(query);
        if (LinkAttributeNameRules.IsUnsuitable(Encoding.UTF8.GetBytes(name)))
        {
            return $"'{name}' has another meaning in lookups and is not allowed in a registration. Leave it out.";
        }

        if (bytes.Length > byte.MaxValue || (value ?? "").Any(char.IsControl) || !IsAttribute(name, value))
        {
            return $"'{Shown(name)}' cannot be written as an attribute of a link (RFC 6690 section 2). Use another name or value.";
        }

        EndpointAttributes.Append(_attributes, bytes);
        return null;
    }

    private static string Shown(string name) => new([.. name.Take(40).Select(static c => char.IsControl(c) ? '?' : c)]);

    private static bool IsAttribute(string name, string? value)
    {
        try
        {
            _ = new CoapLinkAttribute(name, value);
            return true;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }
}
