; The installer for Windows, for one user and without administrator rights. dist/build calls makensis
; with VERSION, TREE (the folder of files) and OUT (the installer).
; For 64 bits, like the programs.
Target amd64-unicode
Name "Myriad"
OutFile "${OUT}"
RequestExecutionLevel user
SetCompressor /SOLID lzma
InstallDir "$LOCALAPPDATA\Programs\Myriad"
InstallDirRegKey HKCU "Software\Myriad" "Folder"
ShowInstDetails show
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Myriad"
VIAddVersionKey "FileDescription" "Myriad, a synthesizer"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "The Myriad authors; MIT or Apache-2.0"

!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Myriad"
; Where hosts look for plugins of one user.
!define VST3 "$LOCALAPPDATA\Programs\Common\VST3"
!define CLAP "$LOCALAPPDATA\Programs\Common\CLAP"

Page directory
Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

Section
  SetOutPath "$INSTDIR"
  File "${TREE}/myriad.exe"
  SetOutPath "$INSTDIR\documents"
  File "${TREE}/documents/*"
  SetOutPath "${VST3}\Myriad.vst3\Contents\x86_64-win"
  File "${TREE}/Myriad.vst3/Contents/x86_64-win/Myriad.vst3"
  SetOutPath "${CLAP}"
  File "${TREE}/Myriad.clap"
  SetOutPath "$INSTDIR"
  CreateShortCut "$SMPROGRAMS\Myriad.lnk" "$INSTDIR\myriad.exe" "play --window"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  WriteRegStr HKCU "Software\Myriad" "Folder" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Myriad"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
SectionEnd

; Patches and settings of the user (in %APPDATA%\myriad) stay.
Section "Uninstall"
  Delete "$INSTDIR\myriad.exe"
  RMDir /r "$INSTDIR\documents"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  RMDir /r "${VST3}\Myriad.vst3"
  RMDir "${VST3}"
  Delete "${CLAP}\Myriad.clap"
  RMDir "${CLAP}"
  RMDir "$LOCALAPPDATA\Programs\Common"
  Delete "$SMPROGRAMS\Myriad.lnk"
  RMDir /r "$LOCALAPPDATA\myriad"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\Myriad"
SectionEnd
