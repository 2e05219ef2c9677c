#nullable enable
using System.Collections.Concurrent;
using System.Reflection;
using System.Runtime.CompilerServices;
using Xunit.v3;

[assembly: CoapMutantRecorder]

/// <summary>Records the test classes that reach each mutation, and the time that the tests of each class take.</summary>
/// <remarks>
/// Lines of the file: "own", class, mutation, for code that runs in the context of a test; "beside", class, mutation, for code of another
/// thread while tests of the class run; "time", class, milliseconds.
/// </remarks>
[AttributeUsage(AttributeTargets.Assembly)]
internal sealed class CoapMutantRecorderAttribute : BeforeAfterTestAttribute
{
    private static readonly ConcurrentDictionary<(string Kind, string Class, int Id), bool> s_seen = new();
    private static readonly ConcurrentDictionary<string, int> s_running = new();
    private static readonly ConcurrentDictionary<IXunitTest, long> s_begun = new();
    private static TextWriter? s_file;

    public override void Before(MethodInfo methodUnderTest, IXunitTest test)
    {
        if (s_file is not null)
        {
            s_begun[test] = Environment.TickCount64;
            s_running.AddOrUpdate(test.TestCase.TestClassName, 1, static (_, count) => count + 1);
        }
    }

    public override void After(MethodInfo methodUnderTest, IXunitTest test)
    {
        if (s_file is not null && s_begun.TryRemove(test, out long begun))
        {
            s_running.AddOrUpdate(test.TestCase.TestClassName, 0, static (_, count) => count - 1);
            s_file.WriteLine($"time\t{test.TestCase.TestClassName}\t{Environment.TickCount64 - begun}");
        }
    }

    [ModuleInitializer]
    internal static void Begin()
    {
        if (Environment.GetEnvironmentVariable("COAP_MUTANT_RECORD") is { Length: > 0 } path)
        {
            // A second copy of the assembly that a test loads, or a process that a test starts, would begin the file again.
            Environment.SetEnvironmentVariable("COAP_MUTANT_RECORD", null);
            s_file = TextWriter.Synchronized(new StreamWriter(path) { AutoFlush = true });
            AppDomain.CurrentDomain.SetData("COAP_MUTANT_REACHED", (Action<int>)Reached);
        }
    }

    private static void Reached(int id)
    {
        if (Xunit.TestContext.Current.TestClass?.TestClassName is { } own)
        {
            Note("own", own, id);
            return;
        }

        foreach ((string running, int count) in s_running)
        {
            if (count > 0)
            {
                Note("beside", running, id);
            }
        }
    }

    private static void Note(string kind, string name, int id)
    {
        if (s_seen.TryAdd((kind, name, id), true))
        {
            s_file!.WriteLine($"{kind}\t{name}\t{id}");
        }
    }
}
