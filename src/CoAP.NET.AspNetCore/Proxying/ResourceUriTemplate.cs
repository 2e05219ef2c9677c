using System.Text;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>A CoAP URI with route parameters in its path or query, such as <c>coap://[2001:db8::5]/lights/{id}</c>.</summary>
internal sealed partial class ResourceUriTemplate
{
    private readonly string _text;

    /// <summary>Parses the URI.</summary>
    /// <exception cref="ArgumentException">The text is not a URI, or has a parameter in its authority.</exception>
    public ResourceUriTemplate(string text)
    {
        ArgumentException.ThrowIfNullOrEmpty(text);
        int authority = text.IndexOf("://", StringComparison.Ordinal) + 3;
        int path = authority < 3 ? 0 : text.AsSpan(authority).IndexOfAny('/', '?') is var end and >= 0 ? authority + end : text.Length;
        if (text.AsSpan(0, path).Contains('{'))
        {
            throw new ArgumentException(
                $"'{text}' would let clients choose the host. Use the overload with a callback, and select an allowed host there.",
                nameof(text));
        }

        if (!CoapUri.TryParse(Parameter().Replace(text, "x"), out _, out string? error))
        {
            throw new ArgumentException($"'{text}' is not a CoAP URI: {error}", nameof(text));
        }

        _text = text;
    }

    /// <summary>Returns the URI for a request, with its query; null if a route value is not valid in a path.</summary>
    public CoapUri? For(HttpContext context)
    {
        bool isPath = true;
        string text = Parameter().Replace(_text, parameter =>
        {
            string value = context.Request.RouteValues[parameter.Groups["name"].Value]?.ToString() ?? string.Empty;

            // Routing leaves only the escaped slash undecoded.
            IEnumerable<string> segments =
                value.Split('/').Select(static segment => segment.Replace("%2F", "/", StringComparison.OrdinalIgnoreCase));
            isPath &= !segments.Any(static segment => segment.Split('/').Any(static part => part is "." or ".."));
            return string.Join('/', segments.Select(Uri.EscapeDataString));
        });
        string query = context.Request.QueryString.Value ?? string.Empty;
        StringBuilder whole = new(text);
        if (query.Length > 1)
        {
            whole.Append(text.Contains('?', StringComparison.Ordinal) ? '&' : '?').Append(query.AsSpan(1));
        }

        return isPath && CoapUri.TryParse(whole.ToString(), out CoapUri? uri) ? uri : null;
    }

    [GeneratedRegex(@"\{\*{0,2}(?<name>[^{}*]+)\}")]
    private static partial Regex Parameter();
}
