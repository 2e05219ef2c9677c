using System.Globalization;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Site.Reference;

/// <summary>The comments that a compiler wrote beside an assembly; read when the first is asked for.</summary>
/// <param name="file">The XML file. It may be absent.</param>
internal sealed class CommentFile(string file) : DocumentationProvider
{
    private readonly Lazy<Dictionary<string, string>> _comments = new(() => Read(file));

    /// <inheritdoc/>
    public override bool Equals(object? obj) => ReferenceEquals(this, obj);

    /// <inheritdoc/>
    public override int GetHashCode() => file.GetHashCode(StringComparison.Ordinal);

    /// <inheritdoc/>
    protected override string GetDocumentationForSymbol(
        string documentationMemberID, CultureInfo preferredCulture, CancellationToken cancellationToken = default) =>
        _comments.Value.GetValueOrDefault(documentationMemberID, string.Empty);

    private static Dictionary<string, string> Read(string file)
    {
        Dictionary<string, string> comments = new(StringComparer.Ordinal);
        if (File.Exists(file))
        {
            foreach (XElement member in XDocument.Load(file, LoadOptions.PreserveWhitespace).Descendants("member"))
            {
                if ((string?)member.Attribute("name") is { } id)
                {
                    comments.TryAdd(id, member.ToString(SaveOptions.DisableFormatting));
                }
            }
        }

        return comments;
    }
}
