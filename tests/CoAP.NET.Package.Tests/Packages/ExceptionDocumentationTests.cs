using System.Reflection;
using System.Xml.Linq;

namespace CoAP.NET.Package.Tests.Packages;

/// <summary>The comment of a public member names each exception that it throws for a bad argument.</summary>
public sealed class ExceptionDocumentationTests
{
    public static TheoryData<string> Libraries { get; } =
        [.. Directory.EnumerateFiles(AppContext.BaseDirectory, "CoAP.NET.*.xml")
            .Select(static file => Path.GetFileNameWithoutExtension(file)).Order(StringComparer.Ordinal)];

    [Theory]
    [MemberData(nameof(Libraries))]
    public void Comments_name_each_exception_that_a_bad_argument_leads_to(string library)
    {
        Dictionary<string, XElement[]> comments = XDocument.Load(Path.Combine(AppContext.BaseDirectory, $"{library}.xml"))
            .Descendants("member").GroupBy(static member => KeyOf(member.Attribute("name")!.Value))
            .ToDictionary(static members => members.Key, static members => members.ToArray());
        List<string> missing = [];
        foreach (MethodBase member in Assembly.Load(library).GetExportedTypes().SelectMany(MembersOf))
        {
            string key = KeyOf(member);
            if (!comments.TryGetValue(key, out XElement[]? said))
            {
                continue;
            }

            // What a comment inherits stands elsewhere.
            if (said.Any(static comment => comment.Descendants("inheritdoc").Any()))
            {
                continue;
            }

            HashSet<string> named = [.. said.SelectMany(static comment => comment.Elements("exception"))
                .Select(static exception => exception.Attribute("cref")!.Value[2..])];
            missing.AddRange(ThrownExceptions.Of(member).Where(thrown => !IsNamed(thrown, named))
                .Select(thrown => $"{key}: {thrown.Name}"));
        }

        Assert.True(missing.Count == 0, string.Join(Environment.NewLine, missing));
    }

    private static bool IsNamed(Type thrown, HashSet<string> named)
    {
        for (Type? type = thrown; type is not null; type = type.BaseType)
        {
            if (named.Contains(type.FullName!))
            {
                return true;
            }
        }

        return false;
    }

    private static IEnumerable<MethodBase> MembersOf(Type type)
    {
        const BindingFlags Declared =
            BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance | BindingFlags.DeclaredOnly;
        return type.GetMethods(Declared).Cast<MethodBase>().Concat(type.GetConstructors(Declared))
            .Where(static member => member.IsPublic || member.IsFamily || member.IsFamilyOrAssembly);
    }

    // By type, name and number of parameters: overloads of one number share what their comments say.
    private static string KeyOf(MethodBase member)
    {
        string type = member.DeclaringType!.FullName!.Replace('+', '.');
        string name = member.Name.Replace('.', '#');
        return member.IsSpecialName && name.Split('_', 2) is ["get" or "set", string property]
            ? $"{type}.{property}"
            : $"{type}.{name}({member.GetParameters().Length})";
    }

    private static string KeyOf(string id)
    {
        string[] parts = id[2..].Split('(', 2);
        string name = parts[0].Split("``")[0];
        return id[0] switch
        {
            'M' => $"{name}({(parts.Length == 1 ? 0 : CountOf(parts[1]))})",
            _ => name,
        };
    }

    private static int CountOf(string parameters)
    {
        int depth = 0;
        int count = 1;
        foreach (char letter in parameters)
        {
            depth += letter is '{' or '[' or '(' ? 1 : letter is '}' or ']' or ')' ? -1 : 0;
            count += letter == ',' && depth == 0 ? 1 : 0;
        }

        return count;
    }
}
