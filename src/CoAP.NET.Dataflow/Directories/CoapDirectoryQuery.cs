namespace CoAP.NET;

/// <summary>
/// What a look-up asks a resource directory for (RFC 9176 section 6.2). All criteria must hold. A value that ends with <c>*</c> means
/// everything that begins so. For resources the criteria of endpoints mean the endpoint that offers them; for endpoints those of resources
/// mean any resource of it. Immutable, but for <see cref="More"/> until it is used.
/// </summary>
public sealed class CoapDirectoryQuery
{
    internal static CoapDirectoryQuery Everything { get; } = new();

    /// <summary>The resource type, such as <c>temperature-c</c> (<c>rt</c>). Default null: any.</summary>
    public string? ResourceType { get; init; }

    /// <summary>The interface description, such as <c>sensor</c> (<c>if</c>). Default null: any.</summary>
    public string? Interface { get; init; }

    /// <summary>The name of the endpoint (<c>ep</c>). Default null: any.</summary>
    public string? EndpointName { get; init; }

    /// <summary>The sector of the endpoint (<c>d</c>). Default null: any.</summary>
    public string? Sector { get; init; }

    /// <summary>The type of the endpoint (<c>et</c>), such as <c>core.rd-group</c> for groups (RFC 9176 appendix A). Default null:
    /// any.</summary>
    public string? EndpointType { get; init; }

    /// <summary>The base URI of the endpoint (<c>base</c>). Default null: any.</summary>
    public string? Base { get; init; }

    /// <summary>The absolute URI of the resource, or the path of the registration (<c>href</c>). Default null: any.</summary>
    public string? Href { get; init; }

    /// <summary>The absolute URI of the context of the link (<c>anchor</c>). Default null: any.</summary>
    public string? Anchor { get; init; }

    /// <summary>Further attributes by name, of links or of endpoints, such as <c>["foot"] = "3000"</c>.</summary>
    public IDictionary<string, string> More { get; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>
    /// How many results are asked for at a time (<c>page</c> and <c>count</c>), from 1. Default null: all in one answer, block by block,
    /// which is one state of the directory; it must fit <see cref="CoapLimits.MaxResponseBodySize"/>. Pages are for large directories. Of
    /// what comes and goes meanwhile a result may be given twice or not at all. Watching has no pages.
    /// </summary>
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

    /// <summary>The arguments of the query, without paging.</summary>
    /// <exception cref="ArgumentException">A name cannot be that of an attribute.</exception>
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
                    $"'{name}' cannot be a criterion of a look-up (RFC 9176 section 6.2): give the name of an attribute, and PageSize for "
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
