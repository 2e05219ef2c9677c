using System.Xml.Linq;

namespace CoAP.NET.Build;

/// <summary>The comments of an assembly without those of types and members that users of its package cannot see.</summary>
internal static class PublicComments
{
    public static void Write(string assembly, string comments, string output)
    {
        PublicMembers members = new(assembly);
        XDocument document = XDocument.Load(comments, LoadOptions.PreserveWhitespace);
        XElement list = document.Root!.Element("members")!;
        foreach (XElement member in list.Elements("member").Where(member => !members.Contains((string)member.Attribute("name")!)).ToArray())
        {
            // With the line break and the blanks above it.
            if (member.PreviousNode is XText blanks)
            {
                blanks.Remove();
            }

            member.Remove();
        }

        document.Save(output, SaveOptions.DisableFormatting);
    }
}
