namespace CoAP.NET.Mutations;

/// <summary>A test class that reaches mutations.</summary>
internal sealed class TestClass(string project, string name)
{
    public string Project => project;

    public string Name => name;

    public long Milliseconds { get; set; }

    /// <summary>The mutations that it reaches; true: in the context of one of its tests.</summary>
    public Dictionary<int, bool> Reached { get; } = [];
}

/// <summary>The test classes that reach each mutation.</summary>
internal sealed class Reach
{
    private readonly Dictionary<(string Project, string Name), TestClass> _classes = [];

    /// <summary>Reads the record of a test project.</summary>
    /// <param name="project">The project.</param>
    /// <param name="path">The record.</param>
    /// <param name="failing">Receives the tests that fail without a mutation.</param>
    public void Read(string project, string path, ISet<string> failing)
    {
        foreach (string[] line in File.ReadLines(path).Select(static line => line.Split('\t')).Where(static line => line.Length == 3))
        {
            if (line[0] == "fail")
            {
                failing.Add(line[1]);
                continue;
            }

            if (!_classes.TryGetValue((project, line[1]), out TestClass? test))
            {
                _classes[(project, line[1])] = test = new TestClass(project, line[1]);
            }

            int number = int.Parse(line[2]);
            if (line[0] == "time")
            {
                test.Milliseconds += number;
            }
            else
            {
                test.Reached[number] = line[0] == "own" || test.Reached.GetValueOrDefault(number);
            }
        }
    }

    /// <summary>
    /// Returns the test classes that reach a mutation, the most relevant first: those that reach it in the context of a test, those of the
    /// same chapter, those that reach few others, the quick ones.
    /// </summary>
    public TestClass[] Of(Mutant mutant)
    {
        string[] words = mutant.Place.File[..^".cs".Length].Split('/', '.');
        return [.. _classes.Values.Where(test => test.Reached.ContainsKey(mutant.Id))
            .OrderByDescending(test => test.Reached[mutant.Id])
            .ThenByDescending(test => test.Name.Contains(words[^1], StringComparison.Ordinal))
            .ThenByDescending(test => test.Name.Split('.').Intersect(words).Count())
            .ThenBy(static test => test.Reached.Count)
            .ThenBy(static test => test.Milliseconds)
            .ThenBy(static test => test.Name, StringComparer.Ordinal)];
    }
}
