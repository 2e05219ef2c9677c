using CoAP.NET.Cli;
using CoAP.NET.Load;

return await CommandProgram.RunAsync(LoadProgram.Name, args, LoadProgram.Create);
