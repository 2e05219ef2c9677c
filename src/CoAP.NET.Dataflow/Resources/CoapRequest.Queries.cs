using System.Diagnostics.CodeAnalysis;
using System.Text;
using CoAP.NET.Options;

namespace CoAP.NET;

// The arguments of the query, as handlers read them.
public sealed partial class CoapRequest
{
    /// <summary>
    /// The decoded Uri-Query options in order, one argument each, such as <c>rt=light</c> (RFC 7252 section 5.10.1). Their order is part of
    /// the resource's name. Of a request to send, those of its options and
    /// then those of its URI, as they will be sent.
    /// </summary>
    /// <exception cref="CoapUriException">While enumerating: it is a request to send, and the text of its URI is none.</exception>
    public IEnumerable<string> Queries
    {
        get
        {
            for (int i = !Message.HasOptions ? -1 : Options.IndexOf(OptionNumber.UriQuery); i >= 0 && i < Options.Count && Options.NumberAt(i) == OptionNumber.UriQuery; i++)
            {
                yield return Encoding.UTF8.GetString(Options.ValueAt(i));
            }

            foreach (string argument in TargetToSend?.QueryArguments ?? [])
            {
                yield return argument;
            }
        }
    }

    /// <summary>The value of the first argument with a name: what follows <c>name=</c>, or the empty string for an argument that is the name alone.</summary>
    /// <param name="name">The name; case-sensitive.</param>
    /// <param name="value">The value.</param>
    /// <returns>Whether there is such an argument.</returns>
    public bool TryGetQuery(string name, [NotNullWhen(true)] out string? value)
    {
        ArgumentNullException.ThrowIfNull(name);
        foreach (string query in Queries)
        {
            if (query.StartsWith(name, StringComparison.Ordinal) && (query.Length == name.Length || query[name.Length] == '='))
            {
                value = query.Length == name.Length ? string.Empty : query[(name.Length + 1)..];
                return true;
            }
        }

        value = null;
        return false;
    }
}
