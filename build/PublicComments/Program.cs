// Writes the comments of an assembly without those of types and members that users of its package cannot see.
using System.Xml.Linq;
using CoAP.NET.Build;

if (args is not [string assembly, string comments, string output])
{
    Console.Error.WriteLine("Usage: PublicComments ASSEMBLY COMMENTS OUTPUT. OUTPUT gets the comments of what is public in ASSEMBLY.");
    return 2;
}

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

Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(output))!);
document.Save(output, SaveOptions.DisableFormatting);
return 0;
