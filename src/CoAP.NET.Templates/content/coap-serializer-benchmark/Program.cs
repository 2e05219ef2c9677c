// dotnet run -c Release -- --filter '*'                             measures (minutes)
// dotnet run -c Release -- --filter '*' --job dry --inProcess       checks that everything works (seconds)
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

Summary[] summaries = [.. BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args)];
return Array.TrueForAll(summaries,
    static summary => !summary.HasCriticalValidationErrors && summary.Reports.All(static report => report.Success)) ? 0 : 1;
