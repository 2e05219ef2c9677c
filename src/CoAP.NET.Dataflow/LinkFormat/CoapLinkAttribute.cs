using System.Globalization;
using CoAP.NET.LinkFormat;

namespace CoAP.NET;

/// <summary>An attribute of a link: a name with an optional value (RFC 6690 section 2).</summary>
/// <remarks>A value is text without quotes and escapes.</remarks>
public readonly record struct CoapLinkAttribute
{
    /// <summary>Creates an attribute.</summary>
    /// <param name="name">The name, such as <c>rt</c>. A name that ends with a star needs an extended value, such as
    /// <c>UTF-8'en'%e2%82%ac</c> (RFC 5987).</param>
    /// <param name="value">The value; null for an attribute without one, such as <c>obs</c>.</param>
    /// <exception cref="ArgumentException">The name is <c>href</c>, which is not an attribute, or has invalid characters; or the value has
    /// control characters, or is not the extended value that the name needs.</exception>
    public CoapLinkAttribute(string name, string? value = null)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (name.Equals("href", StringComparison.OrdinalIgnoreCase))
        {
            throw new ArgumentException(
                "'href' is the target in queries and not an attribute (RFC 6690 section 2). Set the target of the link.",
                nameof(name));
        }

        if (!LinkSyntax.IsName(name))
        {
            throw new ArgumentException($"'{name}' cannot be the name of a link attribute (RFC 6690 section 2).", nameof(name));
        }

        if (name.EndsWith('*')
            ? !LinkSyntax.IsToken(value)
            : value is not null && value.Any(character => !LinkSyntax.IsTextCharacter(character)))
        {
            throw new ArgumentException(
                $"The value of '{name}' cannot be written (RFC 6690 section 2): a name with a star needs a token such as "
                    + "UTF-8'en'%e2%82%ac, any other text without control characters.", nameof(value));
        }

        Name = name;
        Value = value;
    }

    /// <summary>The name, case-insensitive.</summary>
    public string Name { get; }

    /// <summary>The value; null if there is none, which is different from an empty one.</summary>
    public string? Value { get; }

    /// <summary>Returns name and value, human-readable.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => Value is null ? Name : $"{Name}={Value}";

    internal static string Join(IEnumerable<CoapContentFormat> formats) =>
        string.Join(' ', formats.Select(format => format.Value.ToString(CultureInfo.InvariantCulture)));

    internal bool IsNamed(string name) => Name.Equals(name, StringComparison.OrdinalIgnoreCase);
}
