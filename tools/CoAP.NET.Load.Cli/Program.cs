using CoAP.NET.Cli;
using CoAP.NET.Load.CommandLine;

return await CommandProgram.RunAsync(LoadProgram.Name, args, LoadProgram.Create);
