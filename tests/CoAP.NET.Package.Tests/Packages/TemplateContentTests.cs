using System.Text.Json;

namespace CoAP.NET.Package.Tests.Packages;

/// <summary>The files that <c>dotnet new</c> makes projects of.</summary>
public sealed class TemplateContentTests
{
    private static string Content => Path.Combine(Repository.Root, "src", "CoAP.NET.Templates", "content");

    public static TheoryData<string> Templates => [.. Directory.GetDirectories(Content).Select(Path.GetFileName).OfType<string>()];

    // Its name may be that of a type, a keyword or no identifier at all.
    [Theory]
    [MemberData(nameof(Templates))]
    public async Task The_code_of_a_template_does_not_contain_the_name_of_the_project(string template)
    {
        string folder = Path.Combine(Content, template);
        using JsonDocument settings = JsonDocument.Parse(
            await File.ReadAllTextAsync(Path.Combine(folder, ".template.config", "template.json")));
        string name = settings.RootElement.GetProperty("sourceName").GetString()!;

        Assert.True(File.Exists(Path.Combine(folder, $"{name}.csproj")));
        Assert.All(Directory.GetFiles(folder, "*.cs"), file => File.ReadAllText(file).Omits(name), throwIfEmpty: true);
    }
}
