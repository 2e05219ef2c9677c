namespace CoAP.NET.ResourceDirectory;

/// <summary>The criteria of a lookup in a resource directory (RFC 9176 section 6.2).</summary>
/// <remarks>
/// All of them must match. A value that ends with <c>*</c> is a prefix. In a resource lookup, the criteria of endpoints apply to the
/// endpoint of the resource; in an endpoint lookup, those of resources match any resource of it. Immutable, except for <see cref="More"/>
/// before the first use.
/// </remarks>
public sealed class CoapDirectoryQuery
{
    internal static CoapDirectoryQuery Everything { get; } = new();

    /// <summary>The resource type, such as <c>temperature-c</c> (<c>rt</c>).</summary>
    /// <remarks>Default null: any.</remarks>
    public string? ResourceType { get; init; }

    /// <summary>The interface description, such as <c>sensor</c> (<c>if</c>).</summary>
    /// <remarks>Default null: any.</remarks>
    public string? Interface { get; init; }

    /// <summary>The name of the endpoint (<c>ep</c>).</summary>
    /// <remarks>Default null: any.</remarks>
    public string? EndpointName { get; init; }

    /// <summary>The sector of the endpoint (<c>d</c>).</summary>
    /// <remarks>Default null: any.</remarks>
    public string? Sector { get; init; }

    /// <summary>The type of the endpoint (<c>et</c>), such as <c>core.rd-group</c> for groups (RFC 9176 appendix A).</summary>
    /// <remarks>Default null: any.</remarks>
    public string? EndpointType { get; init; }

    /// <summary>The base URI of the endpoint (<c>base</c>).</summary>
    /// <remarks>Default null: any.</remarks>
    public string? Base { get; init; }

    /// <summary>The absolute URI of the resource, or the path of the registration (<c>href</c>).</summary>
    /// <remarks>Default null: any.</remarks>
    public string? Href { get; init; }

    /// <summary>The absolute URI of the context of the link (<c>anchor</c>).</summary>
    /// <remarks>Default null: any.</remarks>
    public string? Anchor { get; init; }

    /// <summary>Further attributes of links or endpoints by name, such as <c>["foot"] = "3000"</c>.</summary>
    public IDictionary<string, string> More { get; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>The number of results per page (<c>page</c> and <c>count</c>), from 1.</summary>
    /// <remarks>
    /// Default null: all in one block-wise response, which is a consistent state of the directory; it must fit
    /// <see cref="CoapBlockwiseLimits.MaxResponseBodySize"/>. Pages are for large directories. If results change meanwhile, one may be
    /// returned twice or not at all. Watching has no pages.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int? PageSize
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value ?? 1, 1, nameof(value));
            field = value;
        }
    }

    /// <summary>Returns the arguments of the query, without paging.</summary>
    /// <exception cref="ArgumentException">A name is not a valid attribute name.</exception>
    internal List<string> ToArguments()
    {
        List<string> arguments = [];
        Add("rt", ResourceType);
        Add("if", Interface);
        Add("ep", EndpointName);
        Add("d", Sector);
        Add("et", EndpointType);
        Add("base", Base);
        Add("href", Href);
        Add("anchor", Anchor);
        foreach ((string name, string value) in More)
        {
            if (name.Length == 0 || name.Contains('=', StringComparison.Ordinal) || name is "page" or "count")
            {
                throw new ArgumentException(
                    $"'{name}' cannot be a criterion of a lookup (RFC 9176 section 6.2): use the name of an attribute, and PageSize for "
                        + "pages.");
            }

            Add(name, value);
        }

        return arguments;

        void Add(string name, string? value)
        {
            if (value is not null)
            {
                arguments.Add($"{name}={value}");
            }
        }
    }
}
