using System.Reflection;
using System.Text.RegularExpressions;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Structure;

/// <summary>
/// Virtual time that goes on while code awaits waits until every other thread of the process sleeps. Beside other tests it would wait in
/// vain, and go on although a thread that the system holds up is still to do something.
/// </summary>
public sealed partial class VirtualTimeTests
{
    [Fact]
    public void Tests_that_let_virtual_time_pass_while_code_awaits_run_alone()
    {
        Type[] tests = [.. typeof(VirtualTimeTests).Assembly.GetTypes().Where(static type => type != typeof(VirtualTimeTests)
            && !type.IsAbstract && type.GetMethods().Any(static method => method.GetCustomAttributes<FactAttribute>().Any()))];
        string folder = Path.Combine(Repository.Root, "tests", "CoAP.NET.Tests");
        List<string> beside = [];
        int alone = 0;
        foreach (string file in Directory.EnumerateFiles(folder, "*.cs", SearchOption.AllDirectories))
        {
            string source = File.ReadAllText(file);
            string[] names = [.. Classes().Matches(source).Select(static match => match.Groups[1].Value)];
            foreach (Type test in tests.Where(test => names.Contains(test.Name) && source.Contains($"namespace {test.Namespace};",
                StringComparison.Ordinal)))
            {
                if (source.Contains(".AdvanceUntilAsync(", StringComparison.Ordinal)
                    || (typeof(EndpointTest).IsAssignableFrom(test) && Helpers().IsMatch(source)))
                {
                    alone++;
                    if (!RunsAlone(test))
                    {
                        beside.Add(test.FullName!);
                    }
                }
            }
        }

        Assert.Empty(beside);
        Assert.True(alone > 10, $"Only {alone} were found.");
    }

    private static bool RunsAlone(Type test) =>
        test.GetCustomAttributesData().Concat(Bases(test).SelectMany(static type => type.GetCustomAttributesData()))
            .Any(static data => data.AttributeType == typeof(CollectionAttribute)
                && (string?)data.ConstructorArguments[0].Value == VirtualTimeCollection.Name);

    private static IEnumerable<Type> Bases(Type type)
    {
        for (Type? at = type.BaseType; at is not null; at = at.BaseType)
        {
            yield return at;
        }
    }

    [GeneratedRegex(@"\bclass (\w+)")]
    private static partial Regex Classes();

    // Of EndpointTest.
    [GeneratedRegex(@"\b(PassAsync|PassUntilAsync|SettleAsync)\(")]
    private static partial Regex Helpers();
}
