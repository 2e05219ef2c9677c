using System.Reflection;
using System.Xml.Linq;

namespace CoAP.NET.Tests.Shared;

/// <summary>The comments of assemblies, as pages of docs/ quote them: without tags, in one line.</summary>
/// <param name="assemblies">The assemblies, each with its XML file beside it.</param>
internal sealed class DocComments(params IEnumerable<Assembly> assemblies)
{
    private readonly Dictionary<string, XElement> _members = assemblies
        .SelectMany(static assembly => XDocument.Load(Path.ChangeExtension(assembly.Location, ".xml")).Descendants("member"))
        .ToDictionary(static member => member.Attribute("name")!.Value);

    /// <summary>Returns a part of a comment; fails if there is none.</summary>
    /// <param name="member">The name in the XML file, such as <c>T:CoAP.NET.CoapClient</c>.</param>
    /// <param name="part">The tag, such as <c>summary</c>.</param>
    public string Of(string member, string part)
    {
        XElement? text = _members.GetValueOrDefault(member)?.Element(part);
        Assert.True(text is not null, $"{member} has no {part}.");
        return string.Join(' ', string.Concat(text.Nodes().Select(TextOf)).Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));
    }

    private static string TextOf(XNode node) => node switch
    {
        XElement { Name.LocalName: "see" } see => see.Attribute("cref")?.Value.Split('(')[0].Split('.', ':', '`')[^1] ?? see.Value,
        XElement element => element.Value,
        _ => node.ToString(),
    };
}
